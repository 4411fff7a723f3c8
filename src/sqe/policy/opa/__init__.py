"""An Open Policy Agent, asked as Trino's plugin (476) asks it: the same rules serve both."""
