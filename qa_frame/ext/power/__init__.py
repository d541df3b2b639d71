"""How many questions a comparison needs: `power`."""
