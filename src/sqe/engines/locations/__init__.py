"""Files in object stores, fetched as the user who asks: never with a key of SQE's own."""
