def cluster(address):
    raise NotImplementedError
