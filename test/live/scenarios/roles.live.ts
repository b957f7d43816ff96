import { ROLES } from '../families/roles';
import { describeFamily } from '../families/family';

describeFamily(ROLES);
