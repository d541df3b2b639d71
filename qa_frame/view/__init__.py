"""The views for people: why a row scored so, hazards that mislead, pictures, and tables for papers."""
