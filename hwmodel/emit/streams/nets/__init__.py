"""What a stream's circuits ask of the positions: borders, enables, depths, from the whole frame or from small ones."""
