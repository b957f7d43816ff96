import { readFileSync, writeFileSync } from 'fs';
import { PAGE, pageWith } from './page';

writeFileSync(PAGE, pageWith(readFileSync(PAGE, 'utf8')));
