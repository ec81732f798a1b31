import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/error';
import { queryClient } from './api/queries';
import { firstTexts, Preferences } from './account/preferences';
import { router } from './router';
import { keepPage } from './ui/filedrop';

keepPage();

const patience = 1_000; // ms until the frame is shown without data

/** Logs errors of pages, except error responses of the API, which the page shows. */
function log(error: unknown) {
  if (!(error instanceof ApiError)) console.error(error);
}

// Render a page once, with its data, texts and fonts, unless they take long: then show its frame first.
// Do not use await: the code of the page imports this module and would wait for it.
const fonts = ['1em "Inter Variable"', '500 1em Newsreader'].map((font) => document.fonts.load(font));
void Promise.race([Promise.allSettled([router.load(), firstTexts, ...fonts]), new Promise((resolve) => setTimeout(resolve, patience))]).then(() =>
  createRoot(document.getElementById('root')!, { onCaughtError: log }).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Preferences>
          <RouterProvider router={router} />
        </Preferences>
      </QueryClientProvider>
    </StrictMode>,
  ),
);
