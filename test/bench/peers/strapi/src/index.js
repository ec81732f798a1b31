// Allows public reads of published articles.
module.exports = {
  async bootstrap({ strapi }) {
    const permissions = strapi.db.query('plugin::users-permissions.permission');
    const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
    for (const action of ['api::article.article.find', 'api::article.article.findOne', 'api::author.author.find', 'api::desk.desk.find']) {
      if (!(await permissions.findOne({ where: { action, role: role.id } }))) {
        await permissions.create({ data: { action, role: role.id } });
      }
    }
  },
};
