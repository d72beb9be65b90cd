"""Words of several languages, by what they tell of a column: people, their roles, traces, events, numbers."""


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


PEOPLE = words(
    # English
    "patient person people user customer client member employee student pupil household participant respondent subject "
    "citizen resident voter subscriber donor rider passenger guest visitor tenant policyholder beneficiary claimant "
    "insured applicant worker player learner child mother borrower cardholder cardmember buyer shopper consumer "
    "individual taxpayer traveler traveller inmate prisoner soldier volunteer parishioner enrollee lodger owner holder "
    "family victim offender defendant attendee candidate case_person human caller payer recipient contact lead "
    "panelist "
    "driver colleague personnel athlete resp callee receiver payee sender absender destinataire expediteur "
    "lender follower followee freelancer contractor "
    "trainee apprentice gamer runner cyclist commuter hiker skier diner debtor creditor insuree "
    "internaut caretaker occupant homeowner leaseholder registrant signatory spouse husband wife newborn baby twin "
    "veteran refugee migrant asylumseeker juror detainee convict suspect witness complainant plaintiff petitioner "
    "elector congregant alumnus alumni graduate undergraduate postgraduate freshman cohortmember survivor decedent "
    # abbreviations
    "cust pat pt emp usr hh hhid subj subjid usubjid patid ptid empno custno mbr bene ssn nhs mrn nino sin pesel "
    "cpf cnpj curp rfc rut cedula nric hkid sab nationalid nationalno steuernummer svnr ahv insz nss "
    "dni nif nie bsn cpr fnr personnr aadhaar amka oib pidp empi uhid upi indiv ind clt "
    # German
    "kunde kunden patienten patientin mitglied mitglieder mitarbeiter mitarbeitende personal versicherte versicherten "
    "versicherter schueler schuler studierende studenten haushalt haushalte benutzer nutzer teilnehmer burger buerger "
    "bewohner mieter proband probanden personen kaeufer kaufer besteller abonnent spender gast gaste waehler wahler "
    "matrikel matrikelnummer steuerid sozialversicherung versichertennummer klient klienten einwohner "
    # French
    "utilisateur usager adherent membre salarie employe eleve etudiant foyer menage assure abonne personne citoyen nir "
    "beneficiaire habitant locataire donneur passager clients patients matricule acheteur malade individu "
    # Spanish, Portuguese, Italian, Catalan
    "cliente paciente usuario miembro empleado alumno estudiante hogar persona socio asegurado ciudadano afiliado "
    "pessoa funcionario aluno utente cidadao beneficiario paziente membro dipendente studente famiglia assistito "
    "abbonato contribuente codicefiscale fiscale comprador encuestado trabajador inquilino domicilio agregado titular "
    # Dutch
    "klant klanten gebruiker lid leden medewerker werknemer leerling huishouden persoon burger deelnemer bewoner "
    "verzekerde patienten huurder clienten "
    # Nordic
    "kund kunder anvandare bruger bruker medlem anstalld ansat ansatt elev hushall husstand husholdning personnummer "
    "medarbetare pasient pasienter deltagare borger potilas asiakas kayttaja jasen henkilo oppilas asukas tyontekija "
    # Slavic, Turkish, Hungarian, Greek in Latin letters, and Cyrillic
    "pacjent uzytkownik pracownik uczen osoba czlonek pacient uzivatel zakaznik zamestnanec clen korisnik kupac "
    "zaposleni "
    "musteri hasta kullanici uye ogrenci ugyfel beteg felhasznalo dolgozo pacientes pelatis asthenis "
    "klijent pacijent ucenik radnik polaznik hallgato tanulo szemely vasarlo kliens pacients klients lietotajs "
    "klientas naudotojas patsient klient kasutaja opilane angajat elevul utilizator abonat pacjenci klienci "
    "nasabah pelanggan pasien pengguna siswa mahasiswa karyawan nguoidung khachhang benhnhan mteja mgonjwa "
    "pazienti clienti utenti participante encuestada hospede passageiro inquilina eleitor morador doador "
    "gebruikers patienter brukere sjukling boende "
)
SERVING = words(
    "employee emp empno worker personnel colleague driver owner holder volunteer contact lead recipient payer caller "
    "mitarbeiter mitarbeitende personal salarie employe empleado funcionario dipendente medewerker werknemer "
    "medarbetare "
    "anstalld ansat ansatt pracownik zamestnanec trabajador family mother child"
)
ROLES = words(
    "doctor physician provider nurse clinician surgeon therapist gp practitioner staff agent cashier clerk salesperson "
    "salesman sales_rep seller teacher lecturer instructor professor rep manager supervisor boss operator interviewer "
    "enumerator reviewer author editor approver mentor parent referrer referral referring attending prescriber "
    "caregiver "
    "technician courier officer advisor adviser consultant vendor arzt arztin arzte behandler lehrer vertreter medecin "
    "enseignant medico docente vendedor vendeur venditore arts docent huisarts lekarz lege lakare laege verkaufer "
    "sachbearbeiter interviewerin vorgesetzter chef superviseur creator assignee handler "
)
TRACES = words(
    "account acct konto compte cuenta conta conto rekening device ip ipaddress ipaddr addr_ip remote_addr "
    "remoteaddr host_ip "
    "clientip cookie fingerprint phone telephone telefon mobile msisdn imei imsi email mail courriel login username "
    "nickname handle card karte carte tarjeta carta plate licenceplate kennzeichen iban fullname surname lastname "
    "visitorid deviceid adid idfa gaid anonymousid distinctid pid cid uid userhash passport pseudonym "
    "loyaltycard membercard bankcard creditcard debitcard healthcard paymentcard cardno pan smartcard travelcard "
    "bankaccount useraccount phonenumber mobilenumber subscriberno screenname gamertag alias profile wallet "
    "walletaddress "
    "vehicle fahrzeug numberplate licenseplate macaddress mac wearable tracker bracelet watch badge "
)
EVENTS = words(
    "row index idx line position pos seq sequence visit visite besuch order bestellung auftrag commande pedido ordine "
    "event ereignis transaction transaktion txn trans invoice rechnung facture factura item artikel record rec log "
    "session sitzung request req admission encounter hadm stay claim booking buchung reservation ticket message msg "
    "payment zahlung entry eintrag measurement messung sample probe obs observation episode fall trip fahrt ride call "
    "click hit pageview view purchase sale sales verkauf shipment lieferung delivery document doc file post comment "
    "review rating response answer test result exam prescription rx rezept procedure diagnosis treatment appointment "
    "termin rendezvous loan credit contract vertrag application incident report survey_row batch job task issue "
    "operation movement zakaz bestelling bezoek consulta visita ordre consultation sejour compra acquisto wizyta besok "
    "schaden sinistre siniestro sinistro aufnahme venta vente vendita absence absences tap swipe checkin attendance "
    "game match round workout run activity notification alert case dossier sejours ricovero urgence donation gift "
    "bestell bestellnr auftragsnr kauf rechnungs mutation posting buchungs umsatz lieferschein "
    "bon receipt beleg voucher basket cart warenkorb panier meter reading lecture zaehler trace span "
)
NUMBER_WORDS = words(
    "id ids no nr num number nummer numero nummero key code uuid guid hash ref fk pk sk token pseudo pseudonymous enc "
    "encrypted anon anonymous anonymised anonymized hashed masked oid cislo numer kod kennung kennziffer nro nbr "
    "identifier "
    "identifiant identificador identifikator nummern rn seqn caseid serial sernum pernum "
)
LETTERS = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "æ": "ae", "đ": "d", "ı": "i"})
NAMES = words("name names fullname nom nombre nome naam navn namn vorname nachname")
MODIFIED = words(
    "sha md crc digest hashed crypt encrypted salted new old v x y raw orig original clean str int txt text"
)
"""Words after the number itself, which say how it is written: email_sha256, user_id_v2, customer_id_x."""
MEASURES = words("per count total avg mean sum share rate is has any max min median ratio percent pct of")
"""Words that make a measure of what follows: cost_per_patient_id is nobody's number."""
PAIRED = words(
    "caller callee sender receiver recipient absender expediteur destinataire payer payee follower "
    "followee buyer seller lender borrower from to src dst"
)
"""Words of tables whose rows are between two people."""
DURABLE = words(
    "email mail courriel phone telephone telefon mobile msisdn phonenumber mobilenumber imsi login username nickname "
    "handle iban passport userhash uid pseudonym fullname account acct konto compte cuenta conta conto rekening "
    "useraccount loyaltycard membercard healthcard"
)
"""Traces that a person keeps when the device, the browser or the network changes."""
TEXTS = words("subject contact lead case ind human")
"""Words that name people beside a number (subject_id), and alone may be the heading of a text."""
STEMS = (
    # Cyrillic, Greek, Arabic, Hebrew, Hindi and Thai words change at their end
    *("пациент", "клиент", "пользовател", "покупател", "сотрудник", "жител", "человек", "абонент", "ученик", "студент"),
    *("участник", "работник", "заказчик", "потребител", "страхов", "пацієнт", "клієнт", "користувач", "член", "гражд"),
    *("πελατ", "ασθεν", "χρηστ", "μαθητ", "εργαζομεν", "مريض", "عميل", "مستخدم", "طالب", "موظف", "زبون"),
    *("חולה", "לקוח", "מטופל", "משתמש", "תלמיד", "रोगी", "ग्राहक", "उपयोगकर्ता", "मरीज", "ผู้ป่วย", "ลูกค้า", "ผู้ใช้"),
)
WITHIN = (
    # Chinese, Japanese and Korean words stand without spaces
    *(
        "患者",
        "病人",
        "顧客",
        "顾客",
        "客户",
        "客戶",
        "用户",
        "用戶",
        "会员",
        "會員",
        "会員",
        "学生",
        "學生",
        "生徒",
        "児童",
    ),
    *(
        "员工",
        "員工",
        "社員",
        "従業員",
        "職員",
        "利用者",
        "住民",
        "居民",
        "世帯",
        "参加者",
        "被験者",
        "受检者",
        "受試者",
    ),
    *("病历号", "病歷號", "身份证", "お客様", "고객", "환자", "사용자", "회원", "학생", "직원", "가입자", "주민"),
)
NUMBERS_WITHIN = (
    "番号",
    "编号",
    "編號",
    "コード",
    "号码",
    "號碼",
    "번호",
    "номер",
    "код",
    "идентификатор",
    "αριθμ",
    "κωδικ",
)
PLURALS = words("people kunden personen mitglieder leden kunder klanten haushalte gaste")
OTHERS = words("useragent clienttype usertype")
SMALL_WORDS = words(
    "the of de du la des del di da do der die das den von van le les el los o a n s src source dim fact tbl"
)
ENDS = tuple(sorted(NUMBER_WORDS | {"s", "n", "en", "e", "er", "in", "innen", "es", "x"}, key=len, reverse=True))
ATTRIBUTES = words(
    "age alter edad eta alder leeftijd sex gender geschlecht sexe sexo sesso kjonn kon birth birthdate birthday dob "
    "geburtsdatum geburtsjahr naissance nacimiento nascita yob income einkommen revenu ingreso salary gehalt wage lohn "
    "education bildung schooling diploma marital familienstand married occupation beruf profession job workclass race "
    "ethnicity religion nationality citizenship smoker smoking bmi height weight children kids employed employment "
    "retired language region zip postcode plz "
)
