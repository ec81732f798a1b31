/** Where the fields of the entry in front are: the dialog of a related entry, or the page. */
export const formOf = (): ParentNode => document.querySelector('[data-in-place]') ?? document;
