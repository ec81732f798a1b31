/*
 * Runs while the scripts of the page are on their way. The first use of some parts of a browser
 * takes long, 25 ms in all; later ones do not. All pages use them in their first frame, which a
 * slow processor shows 0.1 s earlier.
 */
new Intl.NumberFormat().format(0);
new Intl.Locale('en').maximize();
localStorage.getItem('');
