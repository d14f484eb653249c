"""How good topics are: words that were held out, words that keep company, words that say most."""
