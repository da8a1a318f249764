"""What memories are built of: their ports, organisations and figures, for both paths of the model."""
