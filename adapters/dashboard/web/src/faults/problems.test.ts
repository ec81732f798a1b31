import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faults } from '../texts/en';

const repository = join(import.meta.dirname, '../../../../..');

/** Codes whose texts are in ui/basics.tsx, because they must be available offline. */
const elsewhere = ['forbidden', 'internal', 'not_found'];

/** Codes that the dashboard never receives, because it does not send such requests. */
const never = [
  'account_off', // the pages of sign-ins at identity providers
  'answer_too_long', // assistants
  'bad_idempotency_key',
  'bad_if_match',
  'bad_query',
  'bad_request', // GraphQL
  'cannot_change', // the plan of a file of definitions says it
  'changed_migration', // the command line
  'cross_origin',
  'cursor_expired', // copies of the content
  'damaged_archive', // the command line
  'database_url', // the command line
  'events_gone', // deliveries
  'foreign_schema', // the command line
  'idempotency_key_reused',
  'ids_exhausted', // the command line
  'invalid_request', // identity providers
  'line_too_long', // imports
  'malformed_form',
  'malformed_line', // imports
  'method_not_allowed',
  'missing_files', // the command line
  'missing_migration', // the command line
  'newer_schema', // the command line
  'not_linked', // the pages of sign-ins at identity providers
  'not_of_tenant', // the pages of sign-ins at identity providers
  'not_proven', // the pages of sign-ins at identity providers
  'old_schema', // the command line
  'person_linked', // the pages of sign-ins at identity providers
  'preview_only', // sites
  'provider_not_offered', // the pages of sign-ins at identity providers
  'provider_refused', // the pages of sign-ins at identity providers
  'query_too_large', // GraphQL
  'range_not_satisfiable',
  'removes', // the plan of a file of definitions asks for it
  'secret_key', // deliveries
  'too_many_groups', // the pages of sign-ins at identity providers
  'too_slow', // counts
  'unknown_migration', // the command line
  'wrong_subject', // the pages of sign-ins at identity providers
];

const known = [...Object.keys(faults.problems), ...elsewhere, ...never];

function sources(folder: string): string[] {
  return readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.go') && !name.endsWith('_test.go'))
    .map((name) => readFileSync(join(repository, folder, name), 'utf8'));
}

test('every code of the OpenAPI document has a text', () => {
  const document = readFileSync(join(repository, 'api/openapi.yaml'), 'utf8');
  const codes = [...document.matchAll(/^ +code: ([a-z_]+)$/gm)].map((m) => m[1]!);
  expect(codes).toContain('stale_step');
  expect(codes.filter((code) => !known.includes(code))).toEqual([]);
});

test('every code of the program has a text', () => {
  const adapters = readdirSync(join(repository, 'adapters')).filter((name) => name !== 'dashboard').map((name) => `adapters/${name}`);
  const codes = ['core', ...adapters].flatMap(sources).flatMap((text) => [...text.matchAll(/(?:\bConflict\(|\bBadRequest\(|\bgone\(|\bconflictAs\(err, )"([a-z_]+)"|\bCode: +"([a-z_]+)"/g)].map((m) => m[1] ?? m[2]!));
  expect(codes).toContain('email_taken');
  expect([...new Set(codes)].filter((code) => !known.includes(code)).sort()).toEqual([]);
  // A code that the program no longer has needs no text.
  expect(known.filter((code) => !codes.includes(code)).sort()).toEqual([]);
});
