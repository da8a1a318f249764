"""Editor support: what a place in a text means, apart from the thin server that tells an editor so."""
