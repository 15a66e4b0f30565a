"""What the views share: reading actions, opponents, scripted decks. Private."""
