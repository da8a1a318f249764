"""Work in jobs: done in this process, in others or on a cluster, and kept in a store so that it can be resumed."""
