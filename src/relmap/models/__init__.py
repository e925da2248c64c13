"""What is asked: one package per family of models."""
