"""The catalogs as engines that SQE does not run may use them."""
