"""A person at the table: moves as a person says them, a game against agents, and its face in the terminal."""
