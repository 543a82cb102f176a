"""Whether a green result was earned: what a patch says that only cheats say, and what its tests do when they must fail.

`flags` reads a patch, `prove` runs it; `bot.repair.gate` and `bot.repair.verify` ask both.
"""
