import { readFileSync } from 'fs';
import { join } from 'path';

/** A certificate of an authority, in PEM form. */
export const CA = readFileSync(
  join(__dirname, '..', '..', 'examples', 'import-air-gapped', 'ca.pem'),
  'utf8',
);
