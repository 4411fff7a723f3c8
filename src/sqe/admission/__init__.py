"""Who may run how much at once: resource groups, in Trino's form, and their queues."""
