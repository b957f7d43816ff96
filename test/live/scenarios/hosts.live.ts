import { describeFamily } from '../families/family';
import { HOSTS } from '../families/hosts';

describeFamily(HOSTS);
