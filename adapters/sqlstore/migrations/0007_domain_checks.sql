-- Records of claimed domains, which are asked for again each day.

ALTER TABLE domain_claims ADD COLUMN checked_at bigint; -- when the record was last asked for again; null: not yet
ALTER TABLE domain_claims ADD COLUMN missing_since bigint; -- when it was first missing; null: it was there
