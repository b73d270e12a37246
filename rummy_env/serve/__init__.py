"""A person against agents in the browser: a server for one machine, and its page; needs the extra ``serve``."""
