import { readFileSync, writeFileSync } from 'fs';
import { argumentPage, pageOf } from './arguments';
import { PAGE, pageWith } from './page';
import { PROVIDERS } from '../../src/report/explain/terraform-arguments';

writeFileSync(PAGE, pageWith(readFileSync(PAGE, 'utf8')));
for (const provider of PROVIDERS) {
  writeFileSync(pageOf(provider), argumentPage(provider));
}
