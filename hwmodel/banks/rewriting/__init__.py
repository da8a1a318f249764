"""From a custom layout to the elementary that works on it, with copies in front of it and behind."""
