"""How maps are seen: what is drawn, where labels go, and the pictures themselves."""
