$(later)
