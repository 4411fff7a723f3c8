"""What SQE is doing, as metrics that Prometheus scrapes."""
