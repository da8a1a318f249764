class WorkStore:
    pass


def damaged(p):
    pass


def open_store(p):
    pass
