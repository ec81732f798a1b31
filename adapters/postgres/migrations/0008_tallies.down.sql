DROP TABLE entry_tallies;
DROP FUNCTION tally_bucket(double precision), tally_part(text);
