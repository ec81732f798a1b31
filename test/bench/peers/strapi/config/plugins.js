module.exports = {
  'users-permissions': { config: { jwtSecret: 'not-secret' } },
  graphql: { config: { defaultLimit: 25, maxLimit: 100, landingPage: false } },
};
