import 'postgraphile';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { makePgService } from 'postgraphile/adaptors/pg';
import { PostGraphileConnectionFilterPreset } from 'postgraphile-plugin-connection-filter';

export default {
  extends: [PostGraphileAmberPreset, PostGraphileConnectionFilterPreset],
  // Title searches are allowed without a matching index.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [makePgService({ connectionString: process.env.DATABASE_URL, schemas: ['public'] })],
  grafserv: { host: '127.0.0.1', port: Number(process.env.PORT), graphiql: false, watch: false },
  grafast: { explain: false },
};
