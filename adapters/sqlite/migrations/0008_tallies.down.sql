DROP TABLE entry_tallies;
