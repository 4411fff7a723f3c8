"""What is measured in a process of its own. Each prints one JSON object on stdout."""
