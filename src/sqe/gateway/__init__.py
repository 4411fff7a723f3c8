"""What front ends call, and the pipe behind it."""
