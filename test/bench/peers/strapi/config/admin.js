module.exports = () => ({
  auth: { secret: 'not-secret' },
  apiToken: { salt: 'not-secret' },
  transfer: { token: { salt: 'not-secret' } },
  secrets: { encryptionKey: 'not-secret-but-of-thirty-two-bytes' },
});
