/** The cookie with the token of a preview. Browsers keep one of that name for this host alone. */
export const cookieName = '__Host-preview';
