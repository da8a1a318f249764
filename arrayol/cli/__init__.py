"""The command line; each command's module loads only when that command runs."""
