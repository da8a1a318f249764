"""What the language knows of each operator and function: one frozen record a name (docs/language.md)."""
