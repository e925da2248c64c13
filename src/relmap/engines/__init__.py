"""How it is computed: one package per engine, each with problem, methods and evidence."""
