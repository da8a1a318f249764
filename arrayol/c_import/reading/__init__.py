"""From a C file to the syntax tree of its functions: preprocessed, parsed, with places in the user's files."""
