"""Jobs: cut from a search, done in this process, in others or on a cluster, and cached so that it can be resumed."""
