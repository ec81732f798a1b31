module.exports = ({ env }) => ({
  connection: {
    client: 'postgres',
    connection: { host: env('DATABASE_HOST'), database: env('DATABASE_NAME'), user: 'postgres' },
    pool: { min: 2, max: 10 },
  },
});
