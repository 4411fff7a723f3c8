"""Results as streams of Arrow batches, with back-pressure, close and cancel."""
