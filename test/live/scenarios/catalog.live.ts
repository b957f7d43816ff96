import { CATALOG } from '../families/catalog';
import { describeFamily } from '../families/family';

describeFamily(CATALOG);
