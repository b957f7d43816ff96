import { describeFamily } from '../families/family';
import { ROLES } from '../families/roles';

describeFamily(ROLES);
