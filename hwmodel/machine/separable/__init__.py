"""The separable path: groups whose tilers and delays follow the axes, priced in batches from one-dimensional counts.

Along each dimension of the blocks every repetition and element has a place of its own, so what happens at a tick is a
product over the dimensions. The results equal those of the exact path; what is not separable is left to that.
"""
