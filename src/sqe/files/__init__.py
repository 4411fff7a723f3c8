"""Files people bring: what they are, how they are written, and their lines one by one.

Standard library only, so that the command line can look at a file before anything is started.
"""
