import { postgresAdapter } from '@payloadcms/db-postgres';
import { buildConfig } from 'payload';

// Reads are public. An article is one row, because versions are off, the default. Payload adds a last
// sort key to every list: createdAt, or without timestamps the id, which is in the index.
const collection = (slug, useAsTitle, fields) => ({
  slug,
  access: { read: () => true },
  admin: { useAsTitle },
  timestamps: false,
  versions: false,
  fields,
});

export default buildConfig({
  secret: 'not-secret',
  telemetry: false,
  typescript: { autoGenerate: false },
  db: postgresAdapter({ pool: { connectionString: process.env.DATABASE_URL }, push: false }),
  collections: [
    collection('articles', 'title', [
      { name: 'title', type: 'text', required: true },
      { name: 'slug', type: 'text', required: true },
      { name: 'body', type: 'textarea' },
      { name: 'views', type: 'number' },
      { name: 'rating', type: 'number' },
      { name: 'publishedOn', type: 'date' },
      { name: 'category', type: 'text' },
      { name: 'tags', type: 'json' },
      { name: 'featured', type: 'checkbox' },
      { name: 'author', type: 'relationship', relationTo: 'authors' },
    ]),
    collection('authors', 'name', [
      { name: 'name', type: 'text' },
      { name: 'desk', type: 'relationship', relationTo: 'desks' },
      { name: 'articles', type: 'join', collection: 'articles', on: 'author' },
    ]),
    collection('desks', 'name', [{ name: 'name', type: 'text' }]),
  ],
});
