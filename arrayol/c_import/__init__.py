"""C loop nests to specifications: `import_c.import_source` is the way in."""
