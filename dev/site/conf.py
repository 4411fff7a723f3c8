"""How Sphinx builds the site (``dev/site/build.py``). Nothing is loaded from the network."""

project = "SQE"
copyright = "the SQE authors"
html_title = "SQE"
html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
extensions = ["myst_parser"]
# Links to `page.md#heading` are checked down to this level of headings.
myst_heading_anchors = 4
# Highlighting is an ornament: an example may hold what its lexer does not know.
suppress_warnings = ["misc.highlighting_failure"]
exclude_patterns = ["README.md"]  # part of the first page
