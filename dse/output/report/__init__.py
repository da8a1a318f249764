"""Results as one HTML file: what is in it (`document` and the files beside it), and the page that shows it."""
